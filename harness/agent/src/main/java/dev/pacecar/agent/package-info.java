/**
 * A Java agent that answers on a Unix domain socket with counters of its JVM, one line of JSON for each connection.
 *
 * <p>What it shows beyond a metrics page: how much memory all threads have allocated, ended ones included, exactly
 * enough to compare two builds request by request; and where asked, calls of databases and other services. What it needs
 * it carries in itself under names of its own, and it must never harm its host.
 */
package dev.pacecar.agent;
