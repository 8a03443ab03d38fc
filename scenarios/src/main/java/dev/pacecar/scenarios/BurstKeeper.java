package dev.pacecar.scenarios;

import static io.gatling.javaapi.core.CoreDsl.asLongAs;
import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;
import static io.gatling.javaapi.core.CoreDsl.pause;
import static io.gatling.javaapi.core.CoreDsl.scenario;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.PopulationBuilder;
import io.gatling.javaapi.core.Session;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * Decides when the burst is over: when its time is up, or at the moment that whoever watches the services has written
 * to a file.
 *
 * <p>What comes after the burst is injected when this population has ended, a lead ahead of its time, while the users
 * of the burst go on.
 */
final class BurstKeeper {
    private static final Duration TICK = Duration.ofMillis(200);

    // By less the burst is not ended early: by then one process may have come to its end, while another has read of it.
    private static final long LEAST_MILLIS = 1_000;

    private final Plan.Warmup warmup;
    private final LoadClock clock;
    private final WarmupCount count;
    private final long end;
    private volatile OptionalLong earlyEnd = OptionalLong.empty();

    BurstKeeper(Plan plan, Timeline timeline, LoadClock clock, WarmupCount count, long lead) {
        this.warmup = plan.warmup();
        this.clock = clock;
        this.count = count;
        end = timeline.burstEnd() - lead;
    }

    PopulationBuilder population() {
        ChainBuilder tick = pause(session -> nextTick()).exec(this::note);
        ChainBuilder watch = asLongAs(session -> !over()).on(tick).exec(session -> {
            earlyEnd.ifPresentOrElse(moment -> clock.leap(end, moment), clock::keep);
            return session;
        });
        return scenario("burst keeper").exec(watch).injectOpen(atOnceUsers(1));
    }

    private Duration nextTick() {
        Duration left = clock.until(end);
        if (earlyEnd.isPresent()) {
            Duration early = clock.untilEpoch(earlyEnd.getAsLong());
            left = early.compareTo(left) < 0 ? early : left;
        }
        return left.compareTo(TICK) < 0 ? left : TICK;
    }

    private boolean over() {
        if (earlyEnd.isEmpty() && warmup.burstEndFile() != null) {
            OptionalLong told = Moment.in(Path.of(warmup.burstEndFile()));
            if (told.isPresent() && told.getAsLong() + LEAST_MILLIS <= clock.epochMillisOf(end)) {
                earlyEnd = told;
            }
        }
        boolean early =
                earlyEnd.isPresent() && clock.untilEpoch(earlyEnd.getAsLong()).isZero();
        return early || clock.now() >= end;
    }

    private Session note(Session session) {
        if (warmup.progressFile() != null) {
            count.append(Path.of(warmup.progressFile()), clock.epochMillis(clock.now()));
        }
        return session;
    }
}
