// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the masks do to the model on a data set, in two lines: accuracy and loss now, what the last
// edit and all masks changed of them; while it is measured, how far that is.

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
  void dataRequested();      ///< choose the data set and how many pictures
  void picturesRequested();  ///< show which pictures changed
  // Where the data's classes are not the model's:
  void byNumberRequested();
  void classMapRequested();

 private:
  void refresh();
  QString presentText() const;
  QString changeText() const;

  Document* m_document;
  MaskEffectBridge* m_bridge;
  QLabel* m_words;
  QProgressBar* m_progress;
  QToolButton *m_data, *m_pictures, *m_byNumber, *m_classMap;
};

/// "+1.6 points", "−0.4 points", "±0".
QString pointsChange(double share);

}  // namespace headlight
