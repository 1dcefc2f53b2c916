"""Structured logs: one JSON object a line, with the ids of the request and the job in hand."""

import logging
import sys
from typing import Literal

import structlog


def configure_logs(process: str, log_format: Literal["json", "text"]) -> None:
    """Send every log line of this process, ours and the libraries', to standard error in one shape."""
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        structlog.processors.format_exc_info,
    ]
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer() if log_format == "json" else structlog.dev.ConsoleRenderer(colors=False)
    )
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    for noisy in ("uvicorn.access", "httpx", "kombu", "celery.redirected"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    logging.getLogger("python_multipart").setLevel(logging.ERROR)  # a damaged form is the sender's business
    structlog.contextvars.bind_contextvars(process=process)
