// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The images of a dataset whose prediction the last edit changed, and those whose loss rose most,
// as thumbnails to open.

#include <QDialog>

#include "core/workbench/evaluation/MaskEffect.h"
#include "core/workbench/evaluation/SampleImages.h"
#include "ui/base/BackgroundTask.h"

class QLabel;

namespace headlight {

class ThumbnailList;

class EffectImages : public QDialog {
  Q_OBJECT
 public:
  /// `words`: names the two states compared. Images are read in the background.
  EffectImages(const ModelInfo& info, const ImageSample& sample, const MaskEffect& effect,
               const std::vector<std::string>& classNames, const QString& words,
               QWidget* parent = nullptr);

 Q_SIGNALS:
  /// By double-click or Enter.
  void opened(const headlight::Image& image, const QString& name);

 private:
  void addList(const QString& name, const QString& title, const QString& nothing,
               const std::vector<ImageChange>& changes, const std::vector<std::string>& classNames);
  void fill(const std::vector<Image>& images);

  std::vector<ThumbnailList*> m_lists;
  std::vector<std::int64_t> m_indices;  ///< of all lists, in their order
  QLabel* m_note;
  BackgroundTask m_reading;
};

}  // namespace headlight
