"""Fault injection under load against the real program, and a checker of its data afterwards.

Start reading at ``harness`` (a scenario's environment); ``load`` makes requests and records them in
``journal``, ``checker`` compares that with the data, and ``faults_*`` are the scenarios.
"""
