package dev.pacecar.scenarios;

import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.pause;
import static io.gatling.javaapi.core.CoreDsl.scenario;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.PopulationBuilder;
import io.gatling.javaapi.core.Session;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Decides when the burst is over: when its time is up, or as soon as whoever watches the services says so by a file.
 *
 * <p>What comes after the burst is injected when this population has ended, a lead ahead of its time, while the users
 * of the burst go on.
 */
final class BurstKeeper {
    private static final Duration TICK = Duration.ofMillis(200);

    private final Plan.Warmup warmup;
    private final LoadClock clock;
    private final WarmupCount count;
    private final long lead;
    private final long end;

    BurstKeeper(Plan plan, Timeline timeline, LoadClock clock, WarmupCount count, long lead) {
        this.warmup = plan.warmup();
        this.clock = clock;
        this.count = count;
        this.lead = lead;
        end = timeline.burstEnd() - lead;
    }

    PopulationBuilder population() {
        ChainBuilder tick = pause(session -> nextTick()).exec(this::note);
        ChainBuilder watch = exec(session -> {
                    clock.start(lead);
                    return session;
                })
                .asLongAs(session -> !over())
                .on(tick)
                .exec(session -> {
                    clock.skipTo(end);
                    return session;
                });
        return scenario("burst keeper").exec(watch).injectOpen(atOnceUsers(1));
    }

    private Duration nextTick() {
        Duration left = clock.until(end);
        return left.compareTo(TICK) < 0 ? left : TICK;
    }

    private boolean over() {
        return clock.now() >= end || (warmup.burstEndFile() != null && Files.exists(Path.of(warmup.burstEndFile())));
    }

    private Session note(Session session) {
        if (warmup.progressFile() != null) {
            count.append(Path.of(warmup.progressFile()), clock.epochMillis(clock.now()));
        }
        return session;
    }
}
