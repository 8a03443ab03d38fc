package dev.pacecar.scenarios;

import static io.gatling.javaapi.core.CoreDsl.asLongAs;
import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.pause;
import static io.gatling.javaapi.core.CoreDsl.scenario;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.PopulationBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;

/**
 * Says that this process can begin, and starts the clock for the moment that it is then told. Who sends anything comes
 * after this population, so that processes which share a load begin together however long each takes to come up.
 */
final class StartKeeper {
    private static final Duration TICK = Duration.ofMillis(20);

    private final Plan.Start start;
    private final LoadClock clock;
    private final long lead;

    /** With the nanoseconds that this process must know before its load begins. */
    StartKeeper(Plan plan, LoadClock clock, long lead) {
        this.start = plan.start();
        this.clock = clock;
        this.lead = lead;
    }

    PopulationBuilder population() {
        ChainBuilder begin = exec(session -> {
                    if (start == null) {
                        clock.start(lead);
                    } else {
                        announce(Path.of(start.readyFile()));
                    }
                    return session;
                })
                .exec(asLongAs(session -> !begun()).on(pause(TICK)));
        return scenario("start keeper").exec(begin).injectOpen(atOnceUsers(1));
    }

    private boolean begun() {
        if (start != null && !clock.started()) {
            // Be it too soon for us: the others have begun, and what we send late is recorded as late.
            Moment.in(Path.of(start.beginFile())).ifPresent(clock::startAt);
        }
        return clock.started();
    }

    private void announce(Path file) {
        Path partial = Path.of(file + ".partial");
        try {
            Files.writeString(partial, "{\"leadMs\": " + lead / 1_000_000L + "}\n");
            Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException error) {
            throw new UncheckedIOException("Cannot say in " + file + " that this process is ready", error);
        }
    }
}
