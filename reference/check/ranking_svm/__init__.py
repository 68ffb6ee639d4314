"""Grouped inference and the ranking SVM."""
