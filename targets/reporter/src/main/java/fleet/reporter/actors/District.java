package fleet.reporter.actors;

import fleet.reporter.tours.Stretch;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;

/** Counts what vans drive in one district. */
public final class District extends AbstractBehavior<District.Message> {

    public sealed interface Message permits Count, Read {}

    record Count(Stretch stretch, ActorRef<Reporter.Message> counted) implements Message {}

    record Read(ActorRef<Figures> reader) implements Message {}

    /** What was driven so far. */
    public record Figures(long stretches, long stops, double metres) {

        Figures with(Stretch stretch) {
            return new Figures(stretches + 1, stops + stretch.stops(), metres + stretch.metres());
        }
    }

    private Figures figures = new Figures(0, 0, 0);

    private District(ActorContext<Message> context) {
        super(context);
    }

    static Behavior<Message> create() {
        return Behaviors.setup(District::new);
    }

    @Override
    public Receive<Message> createReceive() {
        return newReceiveBuilder()
                .onMessage(Count.class, this::count)
                .onMessage(Read.class, this::read)
                .build();
    }

    private Behavior<Message> count(Count message) {
        figures = figures.with(message.stretch());
        message.counted().tell(Reporter.COUNTED);
        return this;
    }

    private Behavior<Message> read(Read message) {
        message.reader().tell(figures);
        return this;
    }
}
