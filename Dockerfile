# docker build --build-arg SOURCE_COMMIT=$(git rev-parse --short=12 HEAD) -t wishwell .
# docker run -v wishwell:/data wishwell init
# docker run -p 127.0.0.1:8000:8000 -v wishwell:/data wishwell
# The port inside stays 8000; publish it where you like. The database of the default settings is in /data.
# compose.yaml mounts volumes at /keys and /password, which get these folders' owner and mode.
FROM python:3.13-slim AS build
WORKDIR /app
COPY requirements/build.lock ./
RUN pip install --no-cache-dir --require-hashes --requirement build.lock
COPY pyproject.toml README.md LICENSE THIRD_PARTY.md ./
COPY tools/build_hooks.py ./tools/
COPY src ./src
COPY deploy ./deploy
ARG SOURCE_COMMIT=unknown
RUN pip wheel --no-deps --no-build-isolation --wheel-dir dist .

FROM python:3.13-slim
RUN --mount=type=bind,from=build,source=/app/dist,target=/dist \
    --mount=type=bind,source=requirements/run.lock,target=/run.lock \
    pip install --no-cache-dir --require-hashes --requirement /run.lock \
    && pip install --no-cache-dir --no-deps /dist/*.whl \
    && useradd --system --uid 10001 --no-create-home wishwell \
    && mkdir /data \
    && mkdir -m 700 /keys /password \
    && chown wishwell /data /keys /password

USER wishwell
WORKDIR /data
VOLUME /data
ENV WISHWELL_HOST=0.0.0.0
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD \
    ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/readyz', timeout=2)"]
ENTRYPOINT ["wishwell"]
CMD ["serve"]
