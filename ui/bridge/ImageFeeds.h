// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which images something is measured on, as people choose them in the window, and how the
// measurement gets them.

#include <QString>
#include <QStringList>

#include <memory>
#include <optional>

#include "core/workbench/evaluation/ImageSource.h"

namespace headlight {

struct ImageSelection {
  /// The document's, by its address where it has one: maps alone know it by that.
  Image image = {};
  QString path = {};
  QStringList paths = {};                  ///< of the gallery; in place of the one
  bool wholeFile = false;                  ///< every image of the maps that are open
  std::optional<ImageSample> sample = {};  ///< in place of all those
};

/// In any thread but the window's: a dataset is opened. `session` is kept as long as the feed.
Result<ImageSource> makeImageSource(const std::shared_ptr<InferenceSession>& session,
                                    const ImageSelection& chosen);

}  // namespace headlight
