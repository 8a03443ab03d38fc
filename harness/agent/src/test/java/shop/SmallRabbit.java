package shop;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.impl.AMQImpl;
import com.rabbitmq.client.impl.Frame;
import com.rabbitmq.client.impl.LongStringHelper;
import com.rabbitmq.client.impl.Method;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** A broker of AMQP 0-9-1 that lets anybody in, and drops whatever is published. */
final class SmallRabbit implements AutoCloseable {
    private static final int LARGEST_FRAME = 131_072;
    private static final int CONNECTION = 10;
    private static final int CHANNEL = 20;
    private static final int BASIC = 60;

    private final Listening listening;
    private final AtomicInteger messages = new AtomicInteger();

    SmallRabbit() throws IOException {
        listening = new Listening(this::serve);
    }

    int port() {
        return listening.port();
    }

    int messages() {
        return messages.get();
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }

    private void serve(DataInputStream in, DataOutputStream out) throws IOException {
        in.readNBytes("AMQP0091".length());
        send(
                out,
                0,
                new AMQImpl.Connection.Start(
                        0,
                        9,
                        Map.of("product", "small"),
                        LongStringHelper.asLongString("PLAIN"),
                        LongStringHelper.asLongString("en_US")));
        while (true) {
            Frame frame = Frame.readFrom(in, LARGEST_FRAME);
            if (frame.type == AMQP.FRAME_METHOD) {
                DataInputStream method = frame.getInputStream();
                Method answer = answer(method.readUnsignedShort(), method.readUnsignedShort());
                if (answer != null) {
                    send(out, frame.channel, answer);
                }
            }
        }
    }

    private static void send(DataOutputStream out, int channel, Method method) throws IOException {
        method.toFrame(channel).writeTo(out);
        out.flush();
    }

    /** To a method, by its class and its number; null where none is due. */
    private Method answer(int type, int number) {
        if (type == BASIC && number == AMQImpl.Basic.Publish.INDEX) {
            messages.incrementAndGet();
            return null;
        }
        return switch (type * 100 + number) {
            case CONNECTION * 100 + AMQImpl.Connection.StartOk.INDEX ->
                new AMQImpl.Connection.Tune(0, LARGEST_FRAME, 0);
            case CONNECTION * 100 + AMQImpl.Connection.Open.INDEX -> new AMQImpl.Connection.OpenOk("");
            case CONNECTION * 100 + AMQImpl.Connection.Close.INDEX -> new AMQImpl.Connection.CloseOk();
            case CHANNEL * 100 + AMQImpl.Channel.Open.INDEX ->
                new AMQImpl.Channel.OpenOk(LongStringHelper.asLongString(""));
            case CHANNEL * 100 + AMQImpl.Channel.Close.INDEX -> new AMQImpl.Channel.CloseOk();
            default -> null;
        };
    }
}
