package dev.pacecar.scenarios;

import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;
import static io.gatling.javaapi.core.CoreDsl.doIfOrElse;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.pause;
import static io.gatling.javaapi.core.CoreDsl.scenario;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.PopulationBuilder;
import io.gatling.javaapi.core.Session;
import java.time.Duration;
import java.util.List;

/** Virtual users of Gatling that send {@link Blocks}: one for each side, with one request in flight. */
final class CountedUsers {
    private static final Duration TICK = Duration.ofMillis(5);
    private static final String USER = "pacecarUser";
    private static final String NEXT = "pacecarNext";

    private final Plan plan;
    private final Blocks blocks;
    private final LoadClock clock;
    private final Dispatch dispatch;

    CountedUsers(Plan plan, Blocks blocks, LoadClock clock, Dispatch dispatch) {
        this.plan = plan;
        this.blocks = blocks;
        this.clock = clock;
        this.dispatch = dispatch;
    }

    List<PopulationBuilder> populations() {
        blocks.announce();
        clock.start(0);
        List<String> sides = plan.slices().stream().distinct().toList();
        return sides.stream()
                .map(side -> population(side, sides.indexOf(side), sides.size()))
                .toList();
    }

    private PopulationBuilder population(String side, int place, int sides) {
        ChainBuilder send = exec(session -> aim(session, side, place, sides)).exec(dispatch.send());
        ChainBuilder turn = exec(session -> session.set(NEXT, user(session).ready()))
                .exec(doIfOrElse(session -> session.getBoolean(NEXT)).then(send).orElse(pause(TICK)));
        ChainBuilder life = exec(session -> session.set(
                        USER, new CountedUser(blocks, side, plan.counted().requests())))
                .asLongAs(session -> !user(session).over())
                .on(turn);
        return scenario("counted on " + side).exec(life).injectOpen(atOnceUsers(1));
    }

    private Session aim(Session session, String side, int place, int sides) {
        CountedUser.Request request = user(session).next();
        // What the other side is sent has a slice of its own: the two are windows of different services.
        int slice = request.block() * sides + place;
        Arrival arrival = new Arrival(slice, side, clock.now(), 0, blocks.seed(request.block(), request.number()));
        return dispatch.aim(session, arrival, blocks.operation(request.block()));
    }

    private static CountedUser user(Session session) {
        return session.get(USER);
    }
}
