// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which pictures of a data set the last edit changed, and which it hurt most: as thumbnails that
// open.

#include <QDialog>

#include "core/workbench/evaluation/MaskEffect.h"
#include "core/workbench/evaluation/SamplePictures.h"
#include "ui/base/BackgroundTask.h"

class QLabel;

namespace headlight {

class ThumbnailList;

class EffectPictures : public QDialog {
  Q_OBJECT
 public:
  /// `words`: what the effect is from and to. Pictures are read in the background.
  EffectPictures(const ModelInfo& info, const PictureSample& sample, const MaskEffect& effect,
                 const std::vector<std::string>& classNames, const QString& words,
                 QWidget* parent = nullptr);

 Q_SIGNALS:
  /// By double click or Enter.
  void opened(const headlight::Image& picture, const QString& name);

 private:
  void addList(const QString& name, const QString& title, const QString& nothing,
               const std::vector<PictureChange>& changes,
               const std::vector<std::string>& classNames);
  void fill(const std::vector<Image>& pictures);

  std::vector<ThumbnailList*> m_lists;
  std::vector<std::int64_t> m_indices;  ///< of all lists, in their order
  QLabel* m_note;
  BackgroundTask m_reading;
};

}  // namespace headlight
