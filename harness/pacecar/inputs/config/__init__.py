"""`pacecar.toml` to the shapes of `experiment`: text, tables, models, cross-checks, and errors that say where."""

from pacecar.inputs.config.config_text import ConfigError
from pacecar.inputs.config.fields import server_url
from pacecar.inputs.config.kept import given_again, kept_overrides
from pacecar.inputs.config.loading import again, load, parse
from pacecar.inputs.config.named_metrics import require_metric
from pacecar.inputs.config.shapes import BuildOptions, Configuration

__all__ = [
    "BuildOptions",
    "ConfigError",
    "Configuration",
    "again",
    "given_again",
    "kept_overrides",
    "load",
    "parse",
    "require_metric",
    "server_url",
]
