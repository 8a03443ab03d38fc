package dev.pacecar.scenarios;

import io.gatling.javaapi.core.PopulationBuilder;
import java.util.List;

/** How virtual users are made from a plan. */
interface LoadModel {
    /** How long before its first request after the burst a user must be able to start. */
    long leadNanos();

    /** Populations that start at once: those of the burst, and whoever goes on after it. */
    List<PopulationBuilder> fromTheStart(Dispatch dispatch);

    /** Populations that start {@link #leadNanos} ahead of the end of the burst. */
    List<PopulationBuilder> afterBurst(Dispatch dispatch);
}
