/**
 * What GraalVM's native-image must know of a module, made from its classes: each function that it links, and what it looks up by reflection.
 * A module's {@code NativeImageTest} is a {@link org.panamaverbs.testing.nativeimage.NativeImageTestCase}.
 */
package org.panamaverbs.testing.nativeimage;
