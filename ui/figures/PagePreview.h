// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A preview of a figure page as it is saved, scaled to fit.

#include <QImage>
#include <QWidget>

namespace headlight {

class PagePreview : public QWidget {
  Q_OBJECT
 public:
  explicit PagePreview(QWidget* parent = nullptr);

  /// `perInch`: image pixels per inch. It is never shown larger than on paper at 96.
  void setPage(const QImage& page, double perInch);
  /// Shown in place of a page; the page shown is dimmed.
  void setOutdated(bool outdated);
  const QImage& page() const { return m_page; }

  QSize sizeHint() const override { return {640, 520}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QImage m_page;
  double m_perInch = 96;
  bool m_outdated = false;
};

}  // namespace headlight
