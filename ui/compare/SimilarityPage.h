// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How alike layers look, of this picture or over the data set, with the choice between them.

#include <QWidget>

class QComboBox;
class QLabel;
class QToolButton;

namespace headlight {

class Document;
class ProgressLine;
class SimilarityBridge;
class SimilarityMatrix;

class SimilarityPage : public QWidget {
  Q_OBJECT
 public:
  SimilarityPage(Document* document, QWidget* parent = nullptr);
  /// Who measures on a data set; without one there is this picture alone. It outlives this.
  void setAverages(SimilarityBridge* bridge);
  QString stateText() const;

 private:
  void refresh();
  QString describeState() const;

  Document* m_document;
  SimilarityBridge* m_bridge = nullptr;
  QComboBox* m_source;
  QLabel* m_state;
  ProgressLine* m_progress;
  QToolButton *m_cancel, *m_anew;
};

}  // namespace headlight
