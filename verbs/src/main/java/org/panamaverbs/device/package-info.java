/**
 * Attributes of devices ({@link org.panamaverbs.device.DeviceAttributes}) and ports ({@link org.panamaverbs.device.PortAttributes}), and
 * addresses of ports, queue pairs and the paths between them. All are immutable values.
 */
@NullMarked
package org.panamaverbs.device;

import org.jspecify.annotations.NullMarked;
