"""The shops of examples/, run as their READMEs say: see conftest.py."""
