package dev.pacecar.scenarios;

import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.pause;
import static io.gatling.javaapi.core.CoreDsl.scenario;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.PopulationBuilder;
import io.gatling.javaapi.core.Session;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The closed model: the same number of users for each side, each idle while the other side is under load. */
final class ClosedModel implements LoadModel {
    private static final long LEAD = 1_000_000_000L;
    private static final String USER = "pacecarUser";
    private static final String ARRIVAL = "pacecarArrival";

    private final Plan plan;
    private final Timeline timeline;
    private final LoadClock clock;

    ClosedModel(Plan plan, Timeline timeline, LoadClock clock) {
        this.plan = plan;
        this.timeline = timeline;
        this.clock = clock;
    }

    @Override
    public long leadNanos() {
        return LEAD;
    }

    @Override
    public List<PopulationBuilder> populations(Dispatch dispatch) {
        return plan.sides().keySet().stream().sorted().map(side -> population(side, dispatch)).toList();
    }

    private PopulationBuilder population(String side, Dispatch dispatch) {
        AtomicInteger numbers = new AtomicInteger();
        ChainBuilder turn = pause(session -> dispatch.until(arrival(session).due()))
                .exec(session -> dispatch.aim(session, arrival(session)))
                .exec(dispatch.send())
                .exec(this::nextArrival);
        ChainBuilder user = exec(session -> {
                    clock.start(LEAD);
                    return nextArrival(
                            session.set(USER, new ClosedUser(plan, timeline, side, numbers.getAndIncrement())));
                })
                .asLongAs(session -> session.contains(ARRIVAL))
                .on(turn);
        return scenario("users of " + side).exec(user).injectOpen(atOnceUsers(plan.usersPerSide()));
    }

    private Session nextArrival(Session session) {
        ClosedUser user = session.get(USER);
        Arrival arrival = user.next(clock.now());
        return arrival == null ? session.remove(ARRIVAL) : session.set(ARRIVAL, arrival);
    }

    private static Arrival arrival(Session session) {
        return session.get(ARRIVAL);
    }
}
