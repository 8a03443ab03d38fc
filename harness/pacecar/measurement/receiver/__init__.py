"""Takes the uploads of the profiling agent, and spans of OpenTelemetry's, and keeps them as they came.

    server    HTTP on a thread of its own; one address per fork
    guard     who may speak to it: no browser, nobody without the fork's token
    spool     uploads on disk exactly as they came, within limits
    inbox     one fork's uploads opened after its windows, and how far they reach
    upload    multipart and gzip, with limits
    allowance what uploads may come to once unpacked, in sum
    labels    the protobuf that says what label ids mean
    settings  the agent's side of it: its environment

While a window is measured an upload is only written to disk. All reading of it waits until somebody asks.
"""
