#include "core/store/database.h"

#include <cmath>
#include <limits>
#include <sqlite3.h>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/store/file_system.h"

namespace holo::store {

namespace {

constexpr int kBusyMilliseconds = 5000;

[[noreturn]] void fail(sqlite3* handle, const std::string& name)
{
    const int code = handle ? sqlite3_errcode(handle) : SQLITE_NOMEM;
    const std::string reason = handle ? sqlite3_errmsg(handle) : "out of memory";
    ErrorKind kind = ErrorKind::Internal;
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: kind = ErrorKind::Busy; break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: kind = ErrorKind::Malformed; break;
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_NOMEM: kind = ErrorKind::Resource; break;
    default: break;
    }
    throw Error(kind, name + ": the index answers \"" + reason + "\".", {name, "", "", ""});
}

}  // namespace

Database Database::open(const std::filesystem::path& file, Mode mode)
{
    sqlite3* handle = nullptr;
    const int flags = (mode == Mode::ReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) | SQLITE_OPEN_NOMUTEX;
    const int code = sqlite3_open_v2(file.c_str(), &handle, flags, nullptr);
    Database database(handle, file.string());
    if (code != SQLITE_OK)
        fail(handle, file.string());
    database.configure(isSharedFileSystem(file.parent_path()), mode);
    return database;
}

Database Database::inMemory()
{
    sqlite3* handle = nullptr;
    const int code = sqlite3_open_v2(":memory:", &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    Database database(handle, "index in memory");
    if (code != SQLITE_OK)
        fail(handle, "index in memory");
    database.configure(false, Mode::ReadWrite);
    return database;
}

void Database::configure(bool sharedFileSystem, Mode mode)
{
    sqlite3_busy_timeout(m_handle, kBusyMilliseconds);
    execute("PRAGMA foreign_keys = ON");
    if (mode == Mode::ReadOnly)
        return;
    Statement journal(*this, sharedFileSystem ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL");
    journal.step();
    m_journalMode = journal.text(0);
    if (m_journalMode != "wal" && m_journalMode != "memory") {
        logWarning("store", m_name + ": rollback journal instead of WAL, since the file system is shared or does not grant it.");
        execute("PRAGMA synchronous = FULL");
    } else {
        execute("PRAGMA synchronous = NORMAL");
        execute("PRAGMA journal_size_limit = 16777216");
    }
}

Database::~Database()
{
    if (m_handle)
        sqlite3_close_v2(m_handle);
}

Database::Database(Database&& other) noexcept
    : m_handle(std::exchange(other.m_handle, nullptr))
    , m_name(std::move(other.m_name))
    , m_journalMode(std::move(other.m_journalMode))
{
}

Database& Database::operator=(Database&& other) noexcept
{
    std::swap(m_handle, other.m_handle);
    std::swap(m_name, other.m_name);
    std::swap(m_journalMode, other.m_journalMode);
    return *this;
}

void Database::execute(const std::string& sql)
{
    if (sqlite3_exec(m_handle, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        fail(m_handle, m_name);
}

Statement::Statement(Database& database, std::string_view sql)
    : m_database(database)
{
    if (sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()), &m_statement, nullptr) != SQLITE_OK)
        fail(database.handle(), "index");
}

Statement::~Statement() { sqlite3_finalize(m_statement); }

Statement& Statement::bind(int index, std::int64_t value)
{
    sqlite3_bind_int64(m_statement, index, value);
    return *this;
}

Statement& Statement::bind(int index, std::string_view value)
{
    sqlite3_bind_text(m_statement, index, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
    return *this;
}

Statement& Statement::bind(int index, double value)
{
    if (!std::isfinite(value))
        return bind(index, std::string_view(formatDouble(value)));
    sqlite3_bind_double(m_statement, index, value);
    return *this;
}

Statement& Statement::bindPresent(int index, double value)
{
    if (!std::isnan(value))
        return bind(index, value);
    sqlite3_bind_null(m_statement, index);
    return *this;
}

bool Statement::step()
{
    const int code = sqlite3_step(m_statement);
    if (code == SQLITE_ROW)
        return true;
    if (code != SQLITE_DONE)
        fail(m_database.handle(), "index");
    return false;
}

void Statement::run()
{
    while (step()) { }
    sqlite3_reset(m_statement);
    sqlite3_clear_bindings(m_statement);
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(m_statement, column); }

double Statement::real(int column) const
{
    switch (sqlite3_column_type(m_statement, column)) {
    case SQLITE_NULL: return std::numeric_limits<double>::quiet_NaN();
    case SQLITE_TEXT: {
        const std::string name = text(column);
        if (name == "inf" || name == "-inf")
            return name == "inf" ? INFINITY : -INFINITY;
        return std::numeric_limits<double>::quiet_NaN();
    }
    default: return sqlite3_column_double(m_statement, column);
    }
}

std::string Statement::text(int column) const
{
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(m_statement, column));
    return bytes ? std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column))) : std::string();
}

Transaction::Transaction(Database& database)
    : m_database(database)
{
    database.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction()
{
    if (!m_open)
        return;
    try {
        m_database.execute("ROLLBACK");
    } catch (const Error& error) {
        logWarning("store", error.what());
    }
}

void Transaction::commit()
{
    m_database.execute("COMMIT");
    m_open = false;
}

}  // namespace holo::store
