package dev.pacecar.scenarios;

import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.nothingFor;
import static io.gatling.javaapi.core.CoreDsl.rampUsers;
import static io.gatling.javaapi.core.CoreDsl.scenario;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.OpenInjectionStep;
import io.gatling.javaapi.core.PopulationBuilder;
import io.gatling.javaapi.core.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The open model: one virtual user for each arrival, started some seconds early and evenly, who then waits for
 * the arrival's own time. The warm-up begins with a burst of users who wait for their answers; arrivals are injected
 * from a lead ahead of its end on.
 *
 * <p>Injecting a slice's users all at once would start it with a burst of work in the generator; users who wait
 * cost a timer each. Arrivals are handed out in order of time to users in order of their start.
 */
final class OpenModel implements LoadModel {
    private static final long SECOND = 1_000_000_000L;
    private static final int MOST_STEPS = 200;
    private static final String ARRIVAL = "pacecarArrival";

    private final Plan plan;
    private final Timeline timeline;
    private final List<Arrival> arrivals;
    private final LoadClock clock;
    private final WarmupCount warmups;
    private final AtomicInteger next = new AtomicInteger();
    private final long bucket;

    OpenModel(Plan plan, Timeline timeline, LoadClock clock, WarmupCount warmups) {
        this.plan = plan;
        this.timeline = timeline;
        this.clock = clock;
        this.warmups = warmups;
        arrivals = Arrivals.of(plan, timeline);
        // Each injection step costs every later user a little; whole seconds, because Gatling rounds down to them.
        bucket = SECOND * Math.max(1, -Math.floorDiv(-timeline.end(), MOST_STEPS * SECOND));
    }

    // A user is due at the earliest when its bucket begins and starts at the latest when its bucket ends: with this
    // lead, it starts at least a second early. Gatling takes up to a second to go on from one population to the next:
    // where there is no burst in between, that happens twice before the first user.
    @Override
    public long leadNanos() {
        return bucket + (timeline.burstEnd() == 0 ? 2 * SECOND : SECOND);
    }

    // A very low rate has no arrivals; Gatling refuses a scenario without users.
    @Override
    public List<PopulationBuilder> afterBurst(Dispatch dispatch) {
        return arrivals.isEmpty() ? List.of() : List.of(arrivals(dispatch));
    }

    // Arrivals by the clock would bury a JVM that has not compiled anything yet; users who wait for their answers
    // ask as much as it can bear.
    @Override
    public List<PopulationBuilder> fromTheStart(Dispatch dispatch) {
        if (timeline.burstEnd() == 0) {
            return List.of();
        }
        ClosedUsers users = new ClosedUsers(clock, plan.share(), dispatch);
        return plan.sides().keySet().stream()
                .sorted()
                .flatMap(side -> users
                        .population(
                                "burst on " + side,
                                plan.warmup().burstUsers(),
                                number ->
                                        ClosedUser.ofBurst(plan, timeline, side, number, () -> warmups.heldBack(side)))
                        .stream())
                .toList();
    }

    private PopulationBuilder arrivals(Dispatch dispatch) {
        ChainBuilder user = exec(session -> session.set(ARRIVAL, arrivals.get(next.getAndIncrement())))
                .exec(dispatch.pauseUntil(session -> arrival(session).due()))
                .exec(session -> dispatch.aim(session, arrival(session)))
                .exec(dispatch.send());
        return scenario("arrivals").exec(user).injectOpen(injection());
    }

    private List<OpenInjectionStep> injection() {
        List<OpenInjectionStep> steps = new ArrayList<>();
        int handedOut = 0;
        for (long end = timeline.burstEnd() + bucket; handedOut < arrivals.size(); end += bucket) {
            int from = handedOut;
            while (handedOut < arrivals.size() && arrivals.get(handedOut).due() < end) {
                handedOut++;
            }
            long seconds = bucket / SECOND;
            steps.add(handedOut > from ? rampUsers(handedOut - from).during(seconds) : nothingFor(seconds));
        }
        return steps;
    }

    private static Arrival arrival(Session session) {
        return session.get(ARRIVAL);
    }
}
