"""The stack of a request in a server thread: through a filter and the framework to a method of the application."""

from __future__ import annotations

#: What the frames of the application begin with.
SHOP = ("shop.",)
#: From the entry point of the thread to the method that the framework calls.
SERVED = (
    "java.lang.Thread.run",
    "shop.web.AuditFilter.doFilter",
    "org.springframework.web.servlet.DispatcherServlet.doDispatch",
    "java.lang.reflect.Method.invoke",
    "shop.web.OrderController.list",
)
