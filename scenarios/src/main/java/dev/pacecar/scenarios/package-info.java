/**
 * Load profiles, and the kit that switches load between the two builds of a pair.
 *
 * <p>A simulation states what its users do ({@link dev.pacecar.scenarios.Operation}) and hands that to
 * {@link dev.pacecar.scenarios.SlicedLoad}, which decides when, to which side and with which data. Everything
 * random is drawn from the plan's seed, so that the n-th slice of one side meets the same requests at the same
 * offsets as the n-th slice of the other.
 */
package dev.pacecar.scenarios;
