// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a model is trained to say of an image.

namespace headlight {

enum class Task {
  Classify,  ///< a class of the image
  Detect,    ///< boxes with classes
  Segment,   ///< a class of every pixel
  Rebuild,   ///< its own patches, of which it saw a part (masked autoencoders)
};

}  // namespace headlight
