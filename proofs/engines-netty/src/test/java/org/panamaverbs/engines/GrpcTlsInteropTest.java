package org.panamaverbs.engines;

import io.grpc.ChannelCredentials;
import io.grpc.ServerCredentials;
import io.grpc.TlsChannelCredentials;
import io.grpc.TlsServerCredentials;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.testing.TlsTesting;
import java.io.IOException;
import java.io.UncheckedIOException;

/** The same with TLS. */
public class GrpcTlsInteropTest extends GrpcInteropTest {
    @Override
    ServerCredentials serverCredentials() {
        try {
            return TlsServerCredentials.create(TlsTesting.loadCert("server1.pem"), TlsTesting.loadCert("server1.key"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    ChannelCredentials clientCredentials() {
        try {
            return TlsChannelCredentials.newBuilder().trustManager(TlsTesting.loadCert("ca.pem")).build();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    protected NettyChannelBuilder createChannelBuilder() {
        return super.createChannelBuilder().overrideAuthority("foo.test.google.fr");
    }
}
