// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A figure page as it will be saved, made to fit.

#include <QImage>
#include <QWidget>

namespace headlight {

class PagePreview : public QWidget {
  Q_OBJECT
 public:
  explicit PagePreview(QWidget* parent = nullptr);

  /// `perInch`: pixels of the image an inch. It is never shown larger than on paper at 96.
  void setPage(const QImage& page, double perInch);
  /// In place of a page; what is shown grows pale.
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
