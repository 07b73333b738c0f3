// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What each page of the middle makes of the view: layer, head and token mean nothing to a rollout.

#include <QObject>

#include "ui/canvas/ViewUse.h"

namespace headlight {

class Document;
class ImageTabs;

class PageUse : public QObject {
  Q_OBJECT
 public:
  /// Both outlive it.
  PageUse(Document* document, ImageTabs* tabs, QObject* parent);
  const ViewUse& use() const { return m_use; }

 Q_SIGNALS:
  void changed(const headlight::ViewUse& use);

 private:
  void refresh();
  ViewUse presentUse() const;
  ViewUse explanationUse() const;
  ViewUse comparisonUse() const;

  Document* m_document;
  ImageTabs* m_tabs;
  ViewUse m_use;
};

}  // namespace headlight
