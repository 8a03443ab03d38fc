"""`pacecar.toml` to the shapes of `experiment`: text, tables, models, cross-checks, and errors that say where."""

from pacecar.config.document import ConfigError
from pacecar.config.fields import server_url
from pacecar.config.loading import load, parse
from pacecar.config.shapes import BuildOptions, Configuration

__all__ = ["BuildOptions", "ConfigError", "Configuration", "load", "parse", "server_url"]
