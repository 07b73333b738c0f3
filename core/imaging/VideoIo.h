#pragma once
// What OpenCV's videoio is told before it is first used. Inside core/imaging.

namespace headlight {

/// That FFmpeg prints nothing, and opens files alone, whatever a container may name. Once; later
/// calls do nothing.
void prepareVideoIo();

}  // namespace headlight
