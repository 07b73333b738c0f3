// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which of the view's choices do something on the page that is shown. A plain value: the page's
// owner fills it, controls and commands are off where it says so.

namespace headlight {

struct ViewUse {
  bool learned = true;  ///< attention or a learned map
  bool layer = true;
  bool explainedLayer = false;  ///< in place of `layer`: that of the explanation
  bool head = true;
  bool token = true;
  bool map = true;     ///< whether it is shown
  bool colors = true;  ///< style, strength and color map
  bool smooth = true;
  bool sharedScale = true;
  bool mask = false;          ///< the outline of a mask
  bool objects = false;       ///< the boxes of what a detector found
  bool markedObject = false;  ///< an explanation that has a box
  bool operator==(const ViewUse&) const = default;
};

}  // namespace headlight
