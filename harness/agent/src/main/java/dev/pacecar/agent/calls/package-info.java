/**
 * Counts what a service asks of others: statements of its databases, and requests of clients of HTTP and gRPC, each by
 * the frame of the application that made it.
 *
 * <p>Drivers and clients are instrumented while they are loaded. What is put into them calls one class that every class
 * loader sees, and that leads back here; nothing of the agent has to be found by the service's own loaders.
 */
package dev.pacecar.agent.calls;
