"""Checks that concurrent requests are linearizable.

drive.py records a history, specification.py is the sequential model, checker.py searches for an order.
"""
