// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Attention through all layers at once (Abnar & Zuidema's rollout), over the image.

#include <QWidget>

#include "ui/canvas/ImageView.h"

class QComboBox;
class QLabel;
class QSlider;

namespace headlight {

class AnalysisBridge;

class RolloutImage : public ImageView {
  Q_OBJECT
 public:
  RolloutImage(Document* document, QWidget* parent);

 protected:
  std::optional<MapOverlay> currentMap() const override;
  Legend currentLegend() const override;
  QString legendNote() const override;
  QString hint() const override;
  QString hoverText(int patch) const override;
  void showEvent(QShowEvent* event) override;

 private:
  void request();
  AnalysisBridge* m_bridge;
};

class RolloutView : public QWidget {
  Q_OBJECT
 public:
  explicit RolloutView(Document* document, QWidget* parent = nullptr);
  RolloutImage* image() const { return m_image; }

 private:
  void readView();
  void writeView();

  Document* m_document;
  QComboBox* m_fusion;
  QSlider* m_discard;
  QLabel* m_discardText;
  RolloutImage* m_image;
};

}  // namespace headlight
