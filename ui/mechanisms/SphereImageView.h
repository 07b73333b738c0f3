// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A drawing of queries and keys on the sphere (core/workbench/figures/SphereFigure.h), as it is
// saved, scaled to fit. Dragging and the arrow keys turn the sphere.

#include <QImage>
#include <QPoint>
#include <QWidget>

#include <memory>

#include "core/workbench/figures/SphereFigure.h"

namespace headlight {

class SphereImageView : public QWidget {
  Q_OBJECT
 public:
  explicit SphereImageView(QWidget* parent = nullptr);

  /// Null: nothing is shown.
  void setTable(std::shared_ptr<const SphereTable> table, const QString& subject);
  void setView(const SphereView& view);
  const SphereView& view() const { return m_view; }
  const QImage& image() const { return m_image; }

  QSize sizeHint() const override { return {760, 360}; }

 Q_SIGNALS:
  void viewChanged();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  bool turns() const { return m_table && m_table->dimensions == 3; }
  void turnBy(double azimuth, double elevation);
  void draw();

  std::shared_ptr<const SphereTable> m_table;
  QString m_subject;
  SphereView m_view;
  QPoint m_grabbed;
  QImage m_image;
};

}  // namespace headlight
