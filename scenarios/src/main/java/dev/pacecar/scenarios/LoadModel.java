package dev.pacecar.scenarios;

import io.gatling.javaapi.core.PopulationBuilder;
import java.util.List;

/** How arrivals come about. */
interface LoadModel {
    /** How long before the start of load its first virtual user has to start, in nanoseconds. */
    long leadNanos();

    /** The virtual users; each starts the clock, in case it is the first. */
    List<PopulationBuilder> populations(Dispatch dispatch);
}
