"""Forwarders and web servers between a shop's domain and the service. ways.py starts them."""
