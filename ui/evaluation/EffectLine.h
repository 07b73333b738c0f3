// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The effect of the masks on a dataset, in two lines: current accuracy and loss, their change by
// the last edit and by all masks, and the progress of the measurement.

#include <QWidget>

class QAction;
class QLabel;
class QProgressBar;
class QToolButton;

namespace headlight {

class Document;
class MaskEffectBridge;

class EffectLine : public QWidget {
  Q_OBJECT
 public:
  EffectLine(Document* document, MaskEffectBridge* bridge, QWidget* parent = nullptr);
  QString text() const;

 Q_SIGNALS:
  void dataRequested();    ///< choose the dataset and how many images
  void imagesRequested();  ///< show which images changed
  // Emitted if the dataset's classes do not match the model's:
  void byNumberRequested();
  void classMapRequested();

 private:
  void refresh();
  QString presentText() const;
  QString changeText() const;
  QString whyNoImages() const;

  Document* m_document;
  MaskEffectBridge* m_bridge;
  QLabel* m_words;
  QProgressBar* m_progress;
  QToolButton *m_data, *m_images, *m_byNumber, *m_classMap;
};

/// "+1.6 points", "−0.4 points", "±0".
QString pointsChange(double share);

}  // namespace headlight
