#include "core/run/child_process.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/error.h"

namespace holo::run {

namespace {

constexpr int kCannotStart = 127;

// Between fork and exec: nothing but async-signal-safe calls.
[[noreturn]] void becomeChild(char* const* arguments, int log, pid_t parent, const sigset_t* mask)
{
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent)  // it died before the line above
        ::_exit(kCannotStart);
    const int null = ::open("/dev/null", O_RDONLY);
    ::dup2(null, STDIN_FILENO);
    ::dup2(log, STDOUT_FILENO);
    ::dup2(log, STDERR_FILENO);
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1})
        ::signal(number, SIG_DFL);
    ::sigprocmask(SIG_SETMASK, mask, nullptr);
    ::execv(arguments[0], arguments);
    ::_exit(kCannotStart);
}

int codeOf(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command, const std::filesystem::path& logFile)
{
    const int log = ::open(logFile.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (log < 0)
        throw Error(ErrorKind::Resource, logFile.string() + ": cannot be written (" + std::strerror(errno) + ").", {logFile.string(), "", "", ""});
    std::vector<char*> arguments;
    for (const std::string& argument : command)
        arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    const pid_t parent = ::getpid();
    // Until the child has put the parent's handlers away, a signal would end in one of them and be lost.
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    m_pid = ::fork();
    if (m_pid == 0)
        becomeChild(arguments.data(), log, parent, &before);
    const int problem = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::close(log);
    if (m_pid < 0)
        throw Error(ErrorKind::Resource, command.front() + ": cannot be started (" + std::strerror(problem) + ").");
    ::setpgid(m_pid, m_pid);  // here too, so that it holds before the next line of either
}

ChildProcess::~ChildProcess()
{
    if (m_pid > 0 && !m_code) {
        ::kill(m_pid, SIGKILL);
        int status = 0;
        while (::waitpid(m_pid, &status, 0) < 0 && errno == EINTR) { }
    }
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : m_pid(std::exchange(other.m_pid, -1))
    , m_code(other.m_code)
{
}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept
{
    std::swap(m_pid, other.m_pid);
    std::swap(m_code, other.m_code);
    return *this;
}

std::optional<int> ChildProcess::poll()
{
    int status = 0;
    if (!m_code && m_pid > 0 && ::waitpid(m_pid, &status, WNOHANG) == m_pid)
        m_code = codeOf(status);
    return m_code;
}

void ChildProcess::signal(int number) const
{
    if (m_pid > 0 && !m_code)
        ::kill(m_pid, number);
}

}  // namespace holo::run
