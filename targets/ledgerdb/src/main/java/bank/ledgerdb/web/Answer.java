package bank.ledgerdb.web;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;

/** What a client is told. */
record Answer(int status, String type, String text) {

    static Answer json(int status, String text) {
        return new Answer(status, "application/json", text);
    }

    static Answer refused(int status, String why) {
        return new Answer(status, "text/plain; charset=utf-8", why + "\n");
    }

    /** From any thread; the connection's own writes it. */
    void send(ChannelHandlerContext context) {
        var body = Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.UTF_8));
        var response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status), body);
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, type)
                .setInt(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
        context.writeAndFlush(response);
    }
}
