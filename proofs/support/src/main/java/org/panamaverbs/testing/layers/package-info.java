/**
 * The layers of a module. Its {@code LayersTest} is a {@link org.panamaverbs.testing.layers.LayersTestCase} with the module's
 * {@link org.panamaverbs.testing.layers.Layers}: each package with one line of content and the packages that it may use. A module with one
 * package has a {@link org.panamaverbs.testing.layers.ClassLayersTestCase} with its
 * {@link org.panamaverbs.testing.layers.ClassLayers}: its classes from the bottom to the top.
 */
package org.panamaverbs.testing.layers;
