package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Each message counts when it is handed to the client, however many of them go out in one request. */
@ExtendWith(Counted.class)
class MessagesIT {
    private static final byte[] BODY = "new".getBytes(StandardCharsets.US_ASCII);

    @Test
    void messagesToKafkaCountEach() throws Exception {
        List<Long> before = Told.unknown();
        try (SmallKafka kafka = new SmallKafka()) {
            Map<String, Object> settings = Map.of(
                    "bootstrap.servers",
                    kafka.address(),
                    "enable.idempotence",
                    false,
                    "enable.metrics.push",
                    false,
                    "linger.ms",
                    50,
                    "key.serializer",
                    StringSerializer.class,
                    "value.serializer",
                    StringSerializer.class);
            try (KafkaProducer<String, String> producer = new KafkaProducer<>(settings)) {
                producer.send(new ProducerRecord<>(SmallKafka.TOPIC, "1", "new"))
                        .get();
                for (int i = 2; i < 5; i++) {
                    producer.send(new ProducerRecord<>(SmallKafka.TOPIC, "" + i, "new"), (sent, failure) -> {});
                }
                producer.flush();
            }
            assertEquals(4, kafka.messages());
        }
        assertEquals(List.of(0L, 0L, 4L), Told.counts(MessagesIT.class, "messagesToKafkaCountEach"));
        assertEquals(before, Told.unknown());
    }

    @Test
    void messagesToRabbitCountEach() throws Exception {
        List<Long> before = Told.unknown();
        try (SmallRabbit rabbit = new SmallRabbit()) {
            ConnectionFactory factory = new ConnectionFactory();
            factory.setHost("127.0.0.1");
            factory.setPort(rabbit.port());
            try (Connection connection = factory.newConnection();
                    Channel channel = connection.createChannel()) {
                AMQP.BasicProperties properties = new AMQP.BasicProperties();
                channel.basicPublish("", "orders", properties, BODY);
                channel.basicPublish("", "orders", true, properties, BODY);
                channel.basicPublish("", "orders", true, false, properties, BODY);
            }
            assertEquals(3, rabbit.messages());
        }
        assertEquals(List.of(0L, 0L, 3L), Told.counts(MessagesIT.class, "messagesToRabbitCountEach"));
        assertEquals(before, Told.unknown());
    }
}
