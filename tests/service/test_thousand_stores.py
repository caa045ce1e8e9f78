"""A thousand shops in one deployment: the start stays quick, and a store costs little memory."""

import psutil
import pytest

from tests.conftest import SEALING_KEY

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("thousand")]

STORE = """
  - handle: shop-{n}
    hosts: [https://shop-{n}.example, https://www.shop-{n}.example]
    origins: [https://shop-{n}.example]
    naming: {{jwtCookie: session, jwtIssuer: https://shop-{n}.example, jwtAudience: wishes-{n}}}
"""


def test_start_with_a_thousand_stores(new_service):
    """contract: store-apply. docs/scaling.md: below 2 s of a core, and some KB for each store."""
    service = new_service(WISHWELL_SEALING_KEYS=SEALING_KEY)
    service.start().stop()
    one = measured(service)
    file = service.folder / "stores.yaml"
    file.write_text("stores:" + "".join(STORE.format(n=number) for number in range(1_000)))
    service.quick("store", "apply", str(file), "--yes")
    many = measured(service)
    assert many["seconds"] < 2
    assert many["bytes"] - one["bytes"] < 20_000_000
    assert "nothing to do" in service.quick("store", "apply", str(file))


def measured(service):
    """Processor time of a start, and the memory that is the process's own after it."""
    service.start()
    process = psutil.Process(service.process.pid)
    found = {"seconds": sum(process.cpu_times()[:2]), "bytes": process.memory_full_info().uss}
    service.stop()
    return found
