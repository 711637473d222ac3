/**
 * The soft-iWARP provider: thin verbs objects over the layers below. Programs find it through {@link org.panamaverbs.spi.VerbsProvider}
 * and use the interfaces of {@link org.panamaverbs}.
 *
 * <p>This package may use {@code cm}, {@code progress}, {@code transport}, {@code transport.capture},
 * {@code transport.kind}, {@code qp}, {@code rdmap}, {@code mpa}, {@code queue}, {@code jfr}, {@code memory} and
 * {@code wire}. It chooses the kind of transport by {@link org.panamaverbs.softiwarp.transport.kind.Transports} and names none itself.
 */
package org.panamaverbs.softiwarp;
