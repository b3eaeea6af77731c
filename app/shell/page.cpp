#include "app/shell/page.h"

namespace holo::shell {

Page::Page(Context& context, QWidget* parent)
    : QWidget(parent)
    , m_context(context)
{
    setProperty("role", "page");
    setAttribute(Qt::WA_StyledBackground);
}

}  // namespace holo::shell
