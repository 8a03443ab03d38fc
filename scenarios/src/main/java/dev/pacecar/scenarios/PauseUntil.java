package dev.pacecar.scenarios;

import com.typesafe.scalalogging.Logger;
import io.gatling.core.action.Action;
import io.gatling.core.session.Session;
import io.gatling.core.structure.ScenarioContext;
import io.gatling.javaapi.core.ActionBuilder;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

/**
 * A pause that ends at a nanosecond. Gatling's own pauses last whole milliseconds, which is longer than a fast service
 * takes to answer: two arrivals half a millisecond apart would come together on one side and one after the other on
 * the other side, and what is left of that is the difference between two queues that nobody planned.
 */
final class PauseUntil implements ActionBuilder {
    private final LoadClock clock;
    private final ToLongFunction<io.gatling.javaapi.core.Session> due;

    /** A pause until {@code due}, in nanoseconds since the start of load; none when that has passed. */
    PauseUntil(LoadClock clock, ToLongFunction<io.gatling.javaapi.core.Session> due) {
        this.clock = clock;
        this.due = due;
    }

    @Override
    public io.gatling.core.action.builder.ActionBuilder asScala() {
        return new Builder();
    }

    private final class Builder implements io.gatling.core.action.builder.ActionBuilder {
        @Override
        public Action build(ScenarioContext context, Action next) {
            return new Pause(next);
        }
    }

    private final class Pause implements Action {
        private static final Logger LOGGER = Logger.apply(PauseUntil.class);

        private final Action next;

        private Pause(Action next) {
            this.next = next;
        }

        @Override
        public String name() {
            return "pauseUntil";
        }

        @Override
        public void execute(Session session) {
            long left = due.applyAsLong(new io.gatling.javaapi.core.Session(session)) - clock.now();
            if (left > 0) {
                session.eventLoop().schedule(() -> next.$bang(session), left, TimeUnit.NANOSECONDS);
            } else {
                next.$bang(session);
            }
        }

        @Override
        public Logger logger() {
            return LOGGER;
        }

        // Scala's way to let a trait set the field of a class; this class has set it itself.
        @Override
        public void com$typesafe$scalalogging$StrictLogging$_setter_$logger_$eq(Logger logger) {}
    }
}
