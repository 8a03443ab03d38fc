package shop;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersionCollection;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponseCollection;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.Record;
import org.apache.kafka.common.requests.RequestHeader;

/** A broker with one topic of one partition, as far as a producer without transactions asks it for anything. */
final class SmallKafka implements AutoCloseable {
    static final String TOPIC = "orders";

    /** Those that are answered, each up to this version: topics have names there, not numbers. */
    private static final ApiVersionCollection VERSIONS = new ApiVersionCollection();

    static {
        VERSIONS.add(version(ApiKeys.API_VERSIONS, 3));
        VERSIONS.add(version(ApiKeys.METADATA, 9));
        VERSIONS.add(version(ApiKeys.PRODUCE, 9));
    }

    private final Listening listening;
    private final AtomicInteger messages = new AtomicInteger();

    SmallKafka() throws IOException {
        listening = new Listening(this::serve);
    }

    String address() {
        return "127.0.0.1:" + listening.port();
    }

    int messages() {
        return messages.get();
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }

    private static ApiVersion version(ApiKeys key, int most) {
        return new ApiVersion().setApiKey(key.id).setMinVersion((short) 0).setMaxVersion((short) most);
    }

    private void serve(DataInputStream in, DataOutputStream out) throws IOException {
        while (true) {
            ByteBuffer request = ByteBuffer.wrap(in.readNBytes(in.readInt()));
            RequestHeader header = RequestHeader.parse(request);
            ApiKeys key = header.apiKey();
            short version = header.apiVersion();
            byte[] head = bytes(
                    new ResponseHeaderData().setCorrelationId(header.correlationId()),
                    key.responseHeaderVersion(version));
            byte[] body = bytes(answer(key, version, request), version);
            out.writeInt(head.length + body.length);
            out.write(head);
            out.write(body);
            out.flush();
        }
    }

    private static byte[] bytes(ApiMessage message, short version) {
        return MessageUtil.byteBufferToArray(
                MessageUtil.toByteBufferAccessor(message, version).buffer());
    }

    private ApiMessage answer(ApiKeys key, short version, ByteBuffer request) {
        return switch (key) {
            case API_VERSIONS -> new ApiVersionsResponseData().setApiKeys(VERSIONS);
            case METADATA -> metadata();
            case PRODUCE -> produced(new ProduceRequestData(new ByteBufferAccessor(request), version));
            default -> throw new IllegalStateException("not answered: " + key);
        };
    }

    private ApiMessage metadata() {
        MetadataResponseData told =
                new MetadataResponseData().setClusterId("small").setControllerId(0);
        told.brokers()
                .add(new MetadataResponseBroker()
                        .setNodeId(0)
                        .setHost("127.0.0.1")
                        .setPort(listening.port()));
        told.topics()
                .add(new MetadataResponseTopic()
                        .setName(TOPIC)
                        .setPartitions(List.of(new MetadataResponsePartition()
                                .setPartitionIndex(0)
                                .setLeaderId(0)
                                .setReplicaNodes(List.of(0))
                                .setIsrNodes(List.of(0)))));
        return told;
    }

    private ApiMessage produced(ProduceRequestData asked) {
        TopicProduceResponseCollection topics = new TopicProduceResponseCollection();
        asked.topicData().forEach(topic -> {
            topic.partitionData().forEach(part -> {
                for (Record any : ((MemoryRecords) part.records()).records()) {
                    any.ensureValid();
                    messages.incrementAndGet();
                }
            });
            topics.add(new TopicProduceResponse()
                    .setName(topic.name())
                    .setPartitionResponses(List.of(new PartitionProduceResponse().setIndex(0))));
        });
        return new ProduceResponseData().setResponses(topics);
    }
}
