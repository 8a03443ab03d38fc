"""Pacecar decides whether a build of a JVM service is slower than another, and says why."""

__version__ = "0.1.0"
