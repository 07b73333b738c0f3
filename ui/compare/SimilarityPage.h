// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Similarity of layers, for this image or over the dataset, with the choice between them.

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
  /// The bridge that measures on a dataset; without it only this image is available. It outlives
  /// this.
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
