// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which pictures something is measured on, as people choose them in the window, and how the
// measurement gets them.

#include <QString>
#include <QStringList>

#include <memory>
#include <optional>

#include "core/workbench/evaluation/ImageSource.h"

namespace headlight {

struct ChosenPictures {
  /// The document's, by its address where it has one: maps alone know it by that.
  Image image = {};
  QString path = {};
  QStringList paths = {};                    ///< of the gallery; in place of the one
  bool wholeFile = false;                    ///< every picture of the maps that are open
  std::optional<PictureSample> sample = {};  ///< in place of all those
};

/// In any thread but the window's: a data set is opened. `session` is kept as long as the feed.
Result<ImageSource> feedOf(const std::shared_ptr<InferenceSession>& session,
                           const ChosenPictures& chosen);

}  // namespace headlight
