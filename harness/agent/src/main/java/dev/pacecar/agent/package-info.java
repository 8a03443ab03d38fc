/**
 * A Java agent that answers on a Unix domain socket with counters of its JVM, one line of JSON for each connection.
 *
 * <p>What it shows beyond a metrics page: how much memory all threads have allocated, ended ones included, exactly
 * enough to compare two builds request by request. It has no dependency and must never harm its host.
 */
package dev.pacecar.agent;
