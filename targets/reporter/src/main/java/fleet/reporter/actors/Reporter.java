package fleet.reporter.actors;

import fleet.reporter.tours.Stretch;
import fleet.reporter.tours.Tour;
import fleet.reporter.tours.Town;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.DispatcherSelector;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;

/**
 * Keeps the report on planned tours. Districts count their stretches one after the other, in the order in which vans
 * drive them: the next is told when the one before has counted.
 */
public final class Reporter extends AbstractBehavior<Reporter.Message> {

    public sealed interface Message permits Planned, Counted, Read {}

    /** A tour to report on. */
    public record Planned(Tour tour) implements Message {}

    /** For the figures of a district, from 0. */
    public record Read(int district, ActorRef<District.Figures> reader) implements Message {}

    record Counted() implements Message {}

    static final Counted COUNTED = new Counted();

    private final List<ActorRef<District.Message>> districts = new ArrayList<>();
    private final Queue<Stretch> waiting = new ArrayDeque<>();
    private boolean counting;

    private Reporter(ActorContext<Message> context) {
        super(context);
        for (int i = 0; i < Town.DISTRICTS; i++) {
            districts.add(context.spawn(District.create(), "district-" + i, DispatcherSelector.sameAsParent()));
        }
    }

    static Behavior<Message> create() {
        return Behaviors.setup(Reporter::new);
    }

    @Override
    public Receive<Message> createReceive() {
        return newReceiveBuilder()
                .onMessage(Counted.class, counted -> next())
                .onMessage(Planned.class, this::planned)
                .onMessage(Read.class, this::read)
                .build();
    }

    private Behavior<Message> planned(Planned message) {
        waiting.addAll(message.tour().stretches());
        return counting ? this : next();
    }

    private Behavior<Message> next() {
        Stretch stretch = waiting.poll();
        counting = stretch != null;
        if (counting) {
            districts
                    .get(stretch.district())
                    .tell(new District.Count(stretch, getContext().getSelf()));
        }
        return this;
    }

    private Behavior<Message> read(Read message) {
        districts.get(message.district()).tell(new District.Read(message.reader()));
        return this;
    }
}
